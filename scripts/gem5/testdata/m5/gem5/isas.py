class ISA:
    X86 = "x86"
    RISCV = "riscv"
