"Times beside other packages, kept rows made again, and a frozen state to compare with."
