class Flag:
    def __init__(self, name):
        self.name = name

    def enable(self):
        print("enabled", self.name)

    def disable(self):
        print("disabled", self.name)


flags = {name: Flag(name) for name in ("ProtocolTrace", "RubySequencer")}
