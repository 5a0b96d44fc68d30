from . import SETTINGS

protocols = SETTINGS.get("protocols", "MESI_Two_Level").split("+")
buildEnv = {"PROTOCOL": protocols[0]}
if len(protocols) > 1:
    buildEnv["PROTOCOL"] = "MULTIPLE"
    buildEnv.update({"RUBY_PROTOCOL_" + p: True for p in protocols})
    buildEnv["RUBY_PROTOCOL_Unused"] = False
if "v22" in SETTINGS:
    buildEnv["TARGET_ISA"] = "x86"
else:
    isa = SETTINGS.get("isa", "x86").upper()
    buildEnv.update({"USE_X86_ISA": False, "USE_ARM_ISA": False})
    buildEnv["USE_%s_ISA" % isa] = True
