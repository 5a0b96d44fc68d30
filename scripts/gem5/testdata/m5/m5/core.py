from . import SETTINGS

gem5Version = SETTINGS.get("version", "24.0.0.1")
if "noseed" not in SETTINGS:

    def seedRandom(value):
        print("seeded", value)
