// Runs at the end of `npm ci`, after `npm rebuild`: npm 10 removes node_modules/.bin/node together with the Node
// packages of other platforms. Plain JavaScript, because the Node versions that it rejects cannot run TypeScript.
const lowestMajor = 24
const { version, platform, arch } = process
if (Number(version.slice(1).split('.')[0]) < lowestMajor) {
  process.stderr.write(
    `error: Node ${lowestMajor} or later is required, and npm scripts would run ${version}: no Node package of
optionalDependencies could be installed for ${platform} ${arch}. Check the network and the lockfile, or put Node ${lowestMajor} on
the PATH, then run npm ci again.\n`,
  )
  process.exitCode = 1
}
