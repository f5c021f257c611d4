native-machine = no native code for this machine: { $why }
native-too-large = the table is too large for native code
native-refused = native code could not be made: { $why }
