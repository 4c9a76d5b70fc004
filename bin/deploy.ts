import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CommandFailed, UsageError } from '../client/command-line/command-errors.ts'
import { readOptions, texts } from '../client/command-line/parse-options.ts'
import { describeCatalog } from './account/describe-catalog.ts'
import { describeLimits } from './account/describe-limits.ts'
import { describeNextSteps } from './account/next-steps.ts'
import { quoteWord } from './command/cli-arguments.ts'
import { createQueryResults, emulatorStageName, readEmulatorContext } from './command/emulator.ts'
import { printAnswer } from './command/output.ts'
import { runCommand } from './command/run-command.ts'
import { approveRights } from './stacks/approve-rights.ts'
import { findApiFault } from './stacks/call-api.ts'
import { chooseZones } from './stacks/choose-zones.ts'
import {
  announceAccount,
  chooseStageFile,
  findStacks,
  type Outputs,
  readCdkOptions,
  readOutputs,
  requireBootstrap,
  requireConsent,
  requireOutput,
  requireResultsBucket,
  stageOptions,
} from './stacks/deployment.ts'
import { failedCreationOption, removeFailedCreations } from './stacks/failed-creation.ts'
import { allowOption, readAllowed, refuseLosses } from './stacks/refuse-losses.ts'
import { requireDeployable, requireUnchanged } from './stacks/require-deployable.ts'
import { runCdk } from './stacks/run-cdk.ts'
import { runLogged } from './stacks/run-logged.ts'
import { hasTemplate } from './stacks/stack-states.ts'

const usage = `
Deploys a stage of the service to the account and region of the AWS SDK's settings. It shows the settings that change,
refuses to weaken the protections of a stage that is deployed, and says what to do if CloudFormation cannot deploy to its
stack now. The full output of the CDK goes to a file. At the end it calls the API.

Usage: npm run deploy -- [--stage <name> | --stage-file <path>] [--yes] [--allow <list>] [--after-failed-creation]
                         [--athena <url>] [--json] [-- <options of cdk deploy>]
${stageOptions}
  --yes                do not ask before rights are widened; required without a terminal${allowOption}${failedCreationOption}
  --athena <url>       address of a local Athena (npm run athena); only for the stage emulator, which needs it
  --json               print one line of JSON: the stage and the outputs of its stack
  --help               print this

Exit code: 0 deployed; 1 failed; 2 wrong arguments; 3 deployed, but the API does not answer.
`

await runCommand(usage, async () => {
  const { values, positionals } = readOptions({
    allowPositionals: true,
    options: {
      ...texts('stage', 'stage-file', 'athena', 'allow'),
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
  const allowed = readAllowed('--allow', values.allow)
  requireConsent('deploy', values.yes)
  const cdkOptions = readCdkOptions(positionals)
  await announceAccount('Deploying', definition)
  await requireBootstrap(cdkOptions.toolkit)
  const stacks = await findStacks(stage)
  const removesFailed = values['after-failed-creation']
  requireDeployable(stacks, option, removesFailed, cdkOptions.deploy)
  if (isEmulated) await createQueryResults()
  if (warehouse !== undefined) await requireResultsBucket(warehouse.queryResults)
  const { zones, notes } = await chooseZones(definition, stacks)
  const zoneContext = zones === undefined ? [] : ['-c', `loadZones=${zones.join()}`]
  const limits = isEmulated ? [] : [...(await describeLimits(definition)), ...(await describeCatalog(definition))]
  for (const note of [...notes, ...limits]) say(`note: ${note}`)

  const synthesisContext = [...chosen, ...context, ...zoneContext, ...cdkOptions.context]
  await using assembly = await synthesiseStack(synthesisContext)
  await refuseLosses(stacks, assembly.folder, { allowed, stage: option, allow: '--allow ' })
  const diff = `npx cdk diff --security-only ${synthesisContext.map(quoteWord).join(' ')}`
  if (!values.yes) await approveRights(assembly.folder, !stacks.some(hasTemplate), diff)
  await requireUnchanged(stage, stacks, option)
  if (removesFailed) await removeFailedCreations(stacks, say)
  await runLogged(
    'Deploying',
    ['deploy', '--app', assembly.folder, '--require-approval', 'never', ...cdkOptions.deploy],
    {
      stage,
      option,
    },
  )
  const outputs = await readOutputs(stage)
  const publicBaseUrl = requireOutput(outputs, 'PublicBaseUrl')
  const fault = await findApiFault(publicBaseUrl)
  if (fault !== undefined) process.exitCode = 3
  const health = fault === undefined ? 'which answers' : `which does not answer yet: ${fault}`
  const text = `Deployed ${describeVersion(outputs)}. Clients find the API at ${publicBaseUrl}, ${health}
${describeDashboard(outputs)}${isEmulated ? '' : `Try it with npm run smoke -- --stage ${stage}\n`}${describeNextSteps({ stage: definition, option, publicBaseUrl, isEmulated })}`
  printAnswer(
    { facts: { baseUrl: publicBaseUrl, answers: fault === undefined, outputs }, text, wrote: true },
    { stage },
    values.json,
  )
})

function say(line: string): void {
  process.stderr.write(`${line}\n`)
}

/** Synthesises the stack once: exactly what was compared is then deployed. */
async function synthesiseStack(context: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'rate-search-deploy-'))
  const dispose = async () => rmSync(folder, { recursive: true, force: true })
  say('Synthesising the template')
  try {
    await runCdk(['synth', '--quiet', '--output', folder, '-c', 'compare=off', ...context], 'on failure')
  } catch (error) {
    await dispose()
    throw error
  }
  return { folder, [Symbol.asyncDispose]: dispose }
}

/** Describes what was deployed: `version 0.2.0, commit 0a1b2c3d4e5f`. */
function describeVersion({ Version, Commit, StageFile }: Outputs): string {
  if (Version === undefined) throw new CommandFailed('the stack has no output Version')
  return `version ${Version}${Commit === undefined ? '' : `, commit ${Commit}`} with ${StageFile}`
}

function describeDashboard({ DashboardName }: Outputs): string {
  return DashboardName === undefined ? '' : `The dashboard of CloudWatch is ${DashboardName}\n`
}
