// Loaded before a command (`node --require`): Node keeps what it compiles of the command's modules, so that the next start
// need not compile them again. For child processes too. CommonJS, because Node finds no module in a folder with a
// backslash in its path, and somebody has to say so.
const { enableCompileCache } = require('node:module')
const { dirname, join, sep } = require('node:path')

const folder = dirname(__dirname)
if (sep === '/' && folder.includes('\\')) {
  process.stderr.write(
    `error: Node loads no modules from ${JSON.stringify(folder)}: move this folder to a path without a backslash\n`,
  )
  process.exit(1)
}
process.env.NODE_COMPILE_CACHE ??= join(folder, 'node_modules', '.cache', 'compiled')
// Absent in releases that `require-node.js` refuses.
enableCompileCache?.(process.env.NODE_COMPILE_CACHE)
