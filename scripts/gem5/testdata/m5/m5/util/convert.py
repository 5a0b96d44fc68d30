def toFrequency(text):
    return float(text.removesuffix("GHz")) * 1e9
