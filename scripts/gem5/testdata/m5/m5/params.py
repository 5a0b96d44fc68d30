class NullSimObject:
    pass


def isNullPointer(value):
    return isinstance(value, NullSimObject)


class AddrRange:
    def __init__(self, size):
        self.size = size
