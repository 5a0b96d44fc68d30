const char *gem5Version = "23.1.0.0";
