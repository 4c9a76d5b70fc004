// Runs at the end of `npm ci`, after `npm rebuild`: npm 10 removes node_modules/.bin/node together with the Node
// packages of other platforms. Plain JavaScript, because the Node versions that it rejects cannot run TypeScript.
import { readFileSync } from 'node:fs'
import { delimiter } from 'node:path'

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
// Older releases of Node 24 lack security fixes, such as that of predictable hashes (CVE-2026-21717), and this service
// reads files of strangers.
const { lowestNode } = manifest.config
const { versions, version, platform, arch } = process
if (versions.node.localeCompare(lowestNode, 'en', { numeric: true }) < 0) {
  // npm puts node_modules/.bin on PATH, which a colon would cut in two.
  const fault = process.cwd().includes(delimiter)
    ? `the path ${JSON.stringify(process.cwd())} has "${delimiter}", so PATH cannot hold the Node that npm installs there. Move this folder, or`
    : `no Node package of
optionalDependencies could be installed for ${platform} ${arch}. Check the network and the lockfile, or`
  process.stderr.write(
    `error: Node ${lowestNode} or later is required, and npm scripts would run ${version}: ${fault} put Node ${lowestNode} on
the PATH, then run npm ci again.\n`,
  )
  process.exitCode = 1
}
