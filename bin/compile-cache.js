// Loaded before a command (`node --import`): Node keeps what it compiles of the command's modules, so that the next start
// need not compile them again. For child processes too. Plain JavaScript, because it is itself never kept.
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url))
enableCompileCache(process.env.NODE_COMPILE_CACHE)
