import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CommandFailed, UsageError } from '../client/command-line/command-errors.ts'
import { readOptions, texts } from '../client/command-line/parse-options.ts'
import { describeLimits } from './account/describe-limits.ts'
import { describeNextSteps } from './account/next-steps.ts'
import { createQueryResults, emulatorStageName, readEmulatorContext } from './command/emulator.ts'
import { printAnswer } from './command/output.ts'
import { runCommand } from './command/run-command.ts'
import {
  announcePlace,
  chooseStageFile,
  findStacks,
  readCdkOptions,
  readOutputs,
  requireBootstrap,
  requireConsent,
  requireResultsBucket,
  runCdk,
  stageOptions,
} from './stacks/deployment.ts'
import { failedCreationOption, removeFailedCreations } from './stacks/failed-creation.ts'
import { explainEnd, requireDeployable } from './stacks/require-deployable.ts'
import { allowWeakerOption, readAllowed, refuseLosses } from './stacks/weaker-settings.ts'

const usage = `
Deploys a stage of the service to the account and region of the AWS SDK's settings. It refuses to weaken the protections
of a stage that is deployed, and says what to do if CloudFormation cannot deploy to its stacks now.

Usage: npm run deploy -- [--stage <name> | --stage-file <path>] [--yes] [--allow-weaker <list>] [--after-failed-creation]
                         [--athena <url>] [--json] [-- <options of cdk deploy>]
${stageOptions}
  --yes                do not ask before rights are widened; required without a terminal${allowWeakerOption}${failedCreationOption}
  --athena <url>       address of a local Athena (npm run athena); only for the stage emulator, which needs it
  --json               print one line of JSON: the stage and the outputs of its stack
  --help               print this
`

await runCommand(usage, async () => {
  const { values, positionals } = readOptions({
    allowPositionals: true,
    options: {
      ...texts('stage', 'stage-file', 'athena', 'allow-weaker'),
      'after-failed-creation': { type: 'boolean', default: false },
      yes: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  })
  const { stage: definition, context: chosen, option } = chooseStageFile(values.stage, values['stage-file'])
  const { name: stage, warehouse } = definition
  const isEmulated = stage === emulatorStageName
  if (!isEmulated && values.athena !== undefined)
    throw new UsageError(`--athena is only for the stage ${emulatorStageName}: AWS provides Athena itself`)
  const context = isEmulated ? readEmulatorContext(values.athena) : []
  const allowed = readAllowed(values['allow-weaker'])
  requireConsent('deploy', values.yes)
  const cdkOptions = readCdkOptions(positionals)
  await announcePlace('Deploying', definition)
  await requireBootstrap(cdkOptions.toolkit)
  const stacks = await findStacks(stage)
  const removesFailed = values['after-failed-creation']
  requireDeployable(stacks, option, removesFailed, cdkOptions.deploy)
  if (isEmulated) await createQueryResults()
  if (warehouse !== undefined) await requireResultsBucket(warehouse.queryResults)
  const notes = isEmulated ? [] : await describeLimits(definition)
  for (const note of notes) process.stderr.write(`note: ${note}\n`)

  await using assembly = await synthesiseStacks([...chosen, ...context, ...cdkOptions.context])
  await refuseLosses(stacks, assembly.folder, allowed, option)
  if (removesFailed) await removeFailedCreations(stacks, (line) => process.stderr.write(`${line}\n`))
  const approval = values.yes ? 'never' : 'broadening'
  const deploy = ['deploy', '--app', assembly.folder, '--require-approval', approval, ...cdkOptions.deploy]
  await runCdk(deploy).catch(async (error: unknown) => {
    throw await explainEnd(error, stage, option)
  })
  const outputs = await readOutputs(stage)
  const { PublicBaseUrl, DashboardName } = outputs
  if (PublicBaseUrl === undefined)
    throw new CommandFailed(`the stack SearchService-${stage} has no output PublicBaseUrl`)
  const deployed = { stage: definition, option, publicBaseUrl: PublicBaseUrl, isEmulated }
  const dashboard = DashboardName === undefined ? '' : `\nThe dashboard of CloudWatch is ${DashboardName}`
  const text = `Deployed. Clients find the API at ${PublicBaseUrl}${dashboard}

${describeNextSteps(deployed)}`
  printAnswer({ facts: { baseUrl: PublicBaseUrl, outputs }, text, wrote: true }, { stage }, values.json)
})

/** Synthesises the stacks once: exactly what was compared is then deployed. */
async function synthesiseStacks(context: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'rate-search-deploy-'))
  const dispose = async () => rmSync(folder, { recursive: true, force: true })
  process.stderr.write('Synthesising the templates\n')
  try {
    await runCdk(['synth', '--quiet', '--output', folder, ...context], 'on failure')
  } catch (error) {
    await dispose()
    throw error
  }
  return { folder, [Symbol.asyncDispose]: dispose }
}
