"""Where k-modes begins: the starts, and in `basic` the list of all of them."""
