import { chooseStageFile, requireConsent, runCdk, stageOptions } from './command/deployment.ts'
import { readOptions } from './command/options.ts'
import { runCommand } from './command/run-command.ts'

const usage = `
Destroys a stage of the service. A stage that is not disposable keeps its tables and buckets.

Usage: npm run destroy -- [--stage <name> | --stage-file <path>] [--yes]
${stageOptions}
  --yes           do not ask; required without a terminal
  --help          print this
`

await runCommand(usage, async () => {
  const { values } = readOptions({
    options: {
      stage: { type: 'string' },
      'stage-file': { type: 'string' },
      yes: { type: 'boolean', default: false },
    },
  })
  const { stage, context } = chooseStageFile(values.stage, values['stage-file'])
  requireConsent('destroy', values.yes)
  await runCdk(['destroy', '--all', ...context, ...(values.yes ? ['--force'] : [])])
  process.stdout.write(`Destroyed the stage ${stage.name}\n`)
})
