// SimulatorPKI
