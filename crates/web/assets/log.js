// The log of an agent.
