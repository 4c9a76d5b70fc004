import { createDeployedStacks } from '../adapters/cfn-deployed-stacks.ts'
import { describeKept, describeProtection } from './account/kept-data.ts'
import { announcePlace, chooseStageFile, requireConsent, runCdk, stageOptions } from './command/deployment.ts'
import { CommandFailed } from './command/errors.ts'
import { readOptions, texts } from './command/options.ts'
import { runCommand } from './command/run-command.ts'

const usage = `
Destroys a stage of the service. A stage that is not disposable keeps its tables and buckets, and its stacks are
protected from deletion until you take that back.

Usage: npm run destroy -- [--stage <name> | --stage-file <path>] [--yes]
${stageOptions}
  --yes           do not ask; required without a terminal
  --help          print this
`

await runCommand(usage, async () => {
  const { values } = readOptions({
    options: { ...texts('stage', 'stage-file'), yes: { type: 'boolean', default: false } },
  })
  const { stage, context } = chooseStageFile(values.stage, values['stage-file'])
  requireConsent('destroy', values.yes)
  const { account, region } = await announcePlace('Destroying', stage)
  const stacks = (['SearchService', 'Warehouse'] as const).map((name) => `${name}-${stage.name}`)
  const deployed = createDeployedStacks()
  const found = await Promise.all(stacks.map(deployed.readOutputs))
  if (found.every((outputs) => outputs === undefined))
    throw new CommandFailed(`the stage ${stage.name} is not deployed in the account ${account}, region ${region}`)
  const isProtected = await Promise.all(stacks.map(deployed.isProtected))
  const guarded = stacks.filter((_, index) => isProtected[index])
  if (guarded.length > 0) throw new CommandFailed(describeProtection(guarded))
  await runCdk(['destroy', '--all', ...context, ...(values.yes ? ['--force'] : [])])
  const kept = stage.disposable ? '' : describeKept(Object.assign({}, ...found))
  process.stdout.write(`Destroyed the stage ${stage.name}${kept}\n`)
})
