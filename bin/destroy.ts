import { readOptions } from './command/options.ts'
import { runCommand } from './command/run-command.ts'
import { readStageName, requireConsent, runCdk } from './deployment.ts'

const usage = `
Destroys a stage of the service. A stage that is not disposable keeps its tables and buckets.

Usage: npm run destroy -- [--stage <name>] [--yes]

  --stage <name>  a stage of lib/stage.ts (default dev)
  --yes           do not ask; required without a terminal
  --help          print this
`

await runCommand(usage, async () => {
  const { values } = readOptions({
    options: { stage: { type: 'string', default: 'dev' }, yes: { type: 'boolean', default: false } },
  })
  const stage = readStageName(values.stage)
  requireConsent('destroy', values.yes)
  await runCdk(['destroy', '--all', '-c', `stage=${stage}`, ...(values.yes ? ['--force'] : [])])
  process.stdout.write(`Destroyed the stage ${stage}\n`)
})
