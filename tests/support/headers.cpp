// The precompiled header of the test executables belongs to a target, and a target has a source.
