"""A parameter of a version."""


class RubySystem:
    def latency(self):
        return 0.5
