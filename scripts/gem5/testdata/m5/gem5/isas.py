class ISA:
    X86 = "x86"
