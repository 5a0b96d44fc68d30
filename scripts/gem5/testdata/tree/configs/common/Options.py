from m5 import SETTINGS


def _add(parser):
    for name in (
        "num-cpus", "l1d_size", "l1d_assoc", "l1i_size", "l1i_assoc", "l2_size", "l2_assoc",
        "num-l2caches", "num-dirs", "mem-size",
    ):
        parser.add_argument("--" + name)
    parser.add_argument("--cacheline_size", type=int, default=64)


def addNoISAOptions(parser):
    print("no isa")
    _add(parser)


if "v22" in SETTINGS:

    def addCommonOptions(parser):
        _add(parser)
        parser.add_argument("--cpu-clock")

else:

    def addCommonOptions(parser, default_isa=None):
        print("isa", default_isa)
        _add(parser)
        parser.add_argument("--cpu-clock")
