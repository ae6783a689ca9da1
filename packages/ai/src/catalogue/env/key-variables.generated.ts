/** Which environment variables hold a provider's API key. */
// Generated from src/catalogue/compat/hosts.ts by scripts/update-models.ts; do not edit.
// biome-ignore-all format: one provider a line keeps differences readable.
// biome-ignore-all lint/style/noExcessiveLinesPerFile: data.
// biome-ignore-all lint/complexity/noExcessiveLinesPerFunction: data.
import type { Provider } from "../../types/model.js";

/** By provider, in order of precedence. A provider that is not listed takes its key from the options only. */
export const KEY_VARIABLES: Readonly<Record<Provider, readonly string[]>> = {
  "amazon-bedrock": ["AWS_BEARER_TOKEN_BEDROCK"],
  "ant-ling": ["ANT_LING_API_KEY"],
  "anthropic": ["ANTHROPIC_AUTH_TOKEN","ANTHROPIC_OAUTH_TOKEN","ANTHROPIC_API_KEY"],
  "azure": ["AZURE_OPENAI_API_KEY"],
  "azure-openai-responses": ["AZURE_OPENAI_API_KEY"],
  "baseten": ["BASETEN_API_KEY"],
  "cerebras": ["CEREBRAS_API_KEY"],
  "cloudflare-ai-gateway": ["CLOUDFLARE_API_KEY"],
  "cloudflare-workers-ai": ["CLOUDFLARE_API_KEY"],
  "deepseek": ["DEEPSEEK_API_KEY"],
  "fireworks": ["FIREWORKS_API_KEY"],
  "github-copilot": ["COPILOT_GITHUB_TOKEN","GH_TOKEN","GITHUB_TOKEN"],
  "google": ["GEMINI_API_KEY"],
  "google-vertex": ["GOOGLE_CLOUD_API_KEY"],
  "groq": ["GROQ_API_KEY"],
  "huggingface": ["HF_TOKEN"],
  "kimi-coding": ["KIMI_API_KEY"],
  "meta": ["META_API_KEY"],
  "minimax": ["MINIMAX_API_KEY"],
  "minimax-cn": ["MINIMAX_CN_API_KEY"],
  "mistral": ["MISTRAL_API_KEY"],
  "moonshotai": ["MOONSHOT_API_KEY"],
  "moonshotai-cn": ["MOONSHOT_API_KEY"],
  "nvidia": ["NVIDIA_API_KEY"],
  "openai": ["OPENAI_API_KEY"],
  "opencode": ["OPENCODE_API_KEY"],
  "opencode-go": ["OPENCODE_API_KEY"],
  "openrouter": ["OPENROUTER_API_KEY"],
  "qwen-token-plan": ["QWEN_TOKEN_PLAN_TEAM_API_KEY","QWEN_TOKEN_PLAN_API_KEY"],
  "qwen-token-plan-cn": ["QWEN_TOKEN_PLAN_TEAM_CN_API_KEY","QWEN_TOKEN_PLAN_CN_API_KEY"],
  "qwen-token-plan-individual": ["QWEN_TOKEN_PLAN_INDIVIDUAL_API_KEY","QWEN_TOKEN_PLAN_API_KEY"],
  "qwen-token-plan-individual-cn": ["QWEN_TOKEN_PLAN_INDIVIDUAL_CN_API_KEY","QWEN_TOKEN_PLAN_CN_API_KEY"],
  "radius": ["RADIUS_API_KEY"],
  "together": ["TOGETHER_API_KEY"],
  "typesafe": ["TYPESAFE_API_KEY"],
  "vercel-ai-gateway": ["AI_GATEWAY_API_KEY"],
  "xai": ["XAI_API_KEY"],
  "xiaomi": ["XIAOMI_API_KEY"],
  "xiaomi-token-plan-ams": ["XIAOMI_TOKEN_PLAN_AMS_API_KEY"],
  "xiaomi-token-plan-cn": ["XIAOMI_TOKEN_PLAN_CN_API_KEY"],
  "xiaomi-token-plan-sgp": ["XIAOMI_TOKEN_PLAN_SGP_API_KEY"],
  "zai": ["ZAI_API_KEY"],
  "zai-coding-cn": ["ZAI_CODING_CN_API_KEY"],
};
