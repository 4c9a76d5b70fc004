import type { DeployedStack } from '../adapters/cloudformation/cfn-deployed-stacks.ts'
import { createStackChanges } from '../adapters/cloudformation/cfn-stack-changes.ts'
import { CommandFailed } from '../client/command-line/command-errors.ts'
import { readOptions, texts } from '../client/command-line/parse-options.ts'
import { describeKept, describeProtection } from './account/kept-data.ts'
import { runCommand } from './command/run-command.ts'
import {
  announceAccount,
  chooseStageFile,
  findStacks,
  isFormerStack,
  requireConsent,
  stageOptions,
} from './stacks/deployment.ts'
import { failedCreationOption, removeFailedCreations } from './stacks/failed-creation.ts'
import { explainEnd, showNext } from './stacks/require-deployable.ts'
import { runCdk } from './stacks/run-cdk.ts'
import { runLogged } from './stacks/run-logged.ts'
import { judgeStack } from './stacks/stack-states.ts'

const usage = `
Destroys a stage of the service. A stage that is not disposable keeps its tables and buckets, and its stack is
protected from deletion until you remove that protection.

Usage: npm run destroy -- [--stage <name> | --stage-file <path>] [--yes] [--after-failed-creation]
${stageOptions}
  --yes                do not ask; required without a terminal${failedCreationOption}
  --help               print this
`

await runCommand(usage, async () => {
  const { values } = readOptions({
    options: {
      ...texts('stage', 'stage-file'),
      'after-failed-creation': { type: 'boolean', default: false },
      yes: { type: 'boolean', default: false },
    },
  })
  const { stage, context, option } = chooseStageFile(values.stage, values['stage-file'])
  requireConsent('destroy', values.yes)
  const { account, region } = await announceAccount('Destroying', stage)
  const stacks = await findStacks(stage.name)
  if (stacks.length === 0)
    throw new CommandFailed(`the stage ${stage.name} is not deployed in the account ${account}, region ${region}`)
  const isFailed = (stack: (typeof stacks)[number]) => judgeStack(stack).condition === 'never created'
  const removesFailed = values['after-failed-creation']
  if (removesFailed) await removeFailedCreations(stacks, (line) => process.stderr.write(`${line}\n`))
  const remaining = stacks.filter((stack) => !(removesFailed && isFailed(stack)))
  const atWork = remaining.filter((stack) => judgeStack(stack).condition === 'at work')
  if (atWork.length > 0) {
    showNext(atWork, option)
    throw new CommandFailed(`nothing was destroyed, because CloudFormation is at work on it: see the commands above`)
  }
  const guarded = remaining.filter(({ isProtected }) => isProtected)
  if (guarded.some(isFailed))
    throw new CommandFailed(
      `the first deploy of the stage ${stage.name} failed: npm run destroy -- ${option} --after-failed-creation removes what it left`,
    )
  if (guarded.length > 0) throw new CommandFailed(describeProtection(guarded.map(({ name }) => name)))
  if (remaining.length > 0) {
    const destroy = ['destroy', '-c', 'compare=off', ...context]
    if (values.yes) await runLogged('Destroying', [...destroy, '--force'], { stage: stage.name, option })
    else
      await runCdk(destroy).catch(async (error: unknown) => {
        throw await explainEnd(error, stage.name, option)
      })
  }
  await destroyFormer(remaining.filter(isFormerStack), option)
  const outputs = Object.assign({}, ...remaining.map((stack) => stack.outputs))
  const leftovers = stage.disposable || remaining.length === 0 ? '' : describeKept(stage, outputs, option)
  process.stdout.write(`Destroyed the stage ${stage.name}${leftovers}\n`)
})

/** Deletes the stack that an earlier version made for the warehouse, which the app no longer has. */
async function destroyFormer(stacks: readonly DeployedStack[], option: string): Promise<void> {
  for (const { name, id } of stacks) {
    process.stderr.write(`Deleting ${name}, which an earlier version created\n`)
    if (!(await createStackChanges().deleteStack(id)))
      throw new CommandFailed(`CloudFormation could not delete ${name}: npm run destroy -- ${option} tries it again`)
  }
}
