-- Neovim, CodeCompanion: the adapters that it brings, with the proxy in front.
require("codecompanion").setup({
  adapters = {
    acp = {
      claude_code = function()
        return require("codecompanion.adapters").extend("claude_code", {
          commands = {
            default = { "skillgraft", "run", "--", "claude-agent-acp" },
          },
        })
      end,
      codex = function()
        return require("codecompanion.adapters").extend("codex", {
          commands = {
            default = { "skillgraft", "run", "--", "codex-acp" },
          },
        })
      end,
    },
  },
  interactions = {
    chat = { adapter = "claude_code" },
  },
})
