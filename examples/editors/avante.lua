-- Neovim, avante: the command becomes the proxy's, the agent moves to its arguments.
-- What the provider sets in env stays as it is in avante's defaults.
require("avante").setup({
  provider = "claude-code",
  acp_providers = {
    ["claude-code"] = {
      command = "skillgraft",
      args = { "run", "--", "claude-agent-acp" },
    },
    ["codex"] = {
      command = "skillgraft",
      args = { "run", "--", "codex-acp" },
    },
  },
})
