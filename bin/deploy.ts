import { describeLimits } from './account/describe-limits.ts'
import { quoteWord } from './command/cli-arguments.ts'
import {
  announcePlace,
  chooseStageFile,
  readCdkOptions,
  readOutputs,
  requireBootstrap,
  requireConsent,
  requireResultsBucket,
  runCdk,
  stageOptions,
} from './command/deployment.ts'
import { createQueryResults, emulatorStageName, readEmulatorContext } from './command/emulator.ts'
import { UsageError } from './command/errors.ts'
import { readOptions, texts } from './command/options.ts'
import { printAnswer } from './command/output.ts'
import { runCommand } from './command/run-command.ts'

const usage = `
Deploys a stage of the service to the account and region of the AWS SDK's settings.

Usage: npm run deploy -- [--stage <name> | --stage-file <path>] [--yes] [--athena <url>] [--json] [-- <options of cdk deploy>]
${stageOptions}
  --yes           do not ask before rights are widened; required without a terminal
  --athena <url>  address of a local Athena (npm run athena); only for the stage emulator, which needs it
  --json          print one line of JSON: the stage and the outputs of its stack
  --help          print this
`

await runCommand(usage, async () => {
  const { values, positionals } = readOptions({
    allowPositionals: true,
    options: {
      ...texts('stage', 'stage-file', 'athena'),
      yes: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  })
  const { stage: definition, context: chosen } = chooseStageFile(values.stage, values['stage-file'])
  const { name: stage, warehouse } = definition
  const isEmulated = stage === emulatorStageName
  if (!isEmulated && values.athena !== undefined)
    throw new UsageError(`--athena is only for the stage ${emulatorStageName}: AWS provides Athena itself`)
  const context = isEmulated ? readEmulatorContext(values.athena) : []
  requireConsent('deploy', values.yes)
  const { toolkit } = readCdkOptions(positionals)
  await announcePlace('Deploying', definition)
  await requireBootstrap(toolkit)
  if (isEmulated) await createQueryResults()
  if (warehouse !== undefined) await requireResultsBucket(warehouse.queryResults)
  const notes = isEmulated ? [] : await describeLimits(definition)
  for (const note of notes) process.stderr.write(`note: ${note}\n`)
  const approval = values.yes ? 'never' : 'broadening'
  await runCdk(['deploy', '--all', ...chosen, ...context, '--require-approval', approval, ...positionals])
  const outputs = await readOutputs(stage)
  const { PublicBaseUrl, DashboardName } = outputs
  const fill =
    warehouse === undefined || isEmulated
      ? `load -- <in-network file>… --stage ${stage}`
      : `check-warehouse -- ${values['stage-file'] ? `--stage-file ${quoteWord(values['stage-file'])}` : `--stage ${stage}`}`
  const text = `Deployed. Clients find the API at ${PublicBaseUrl}
The dashboard of CloudWatch is ${DashboardName}

Next:
  npm run keys -- create-organization "<name>" --stage ${stage}
  npm run keys -- create <organization id> --stage ${stage}
  npm run ${fill}
  curl -s ${PublicBaseUrl}/v1/fee-schedules -H "Authorization: Bearer <key>"`
  printAnswer({ facts: { baseUrl: PublicBaseUrl, outputs }, text, wrote: true }, { stage }, values.json)
})
