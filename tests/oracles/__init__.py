"Plain forms that the book does not have, for tests to compare with."
