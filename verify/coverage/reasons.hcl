# Why lines of the hardware are not covered: uncovered "<module>" { line, reason }.
