//! The Model Context Protocol server: what `kumite mcp` gives, so that an agent can steer kumite.
