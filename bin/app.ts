import { requireAccount } from '../lib/stage/stage-account.ts'
import { chooseStage, withZones } from '../lib/stage/stage-files.ts'
import { addStack, createApp } from '../lib/synthesise.ts'
import { PrintableError } from '../schema/printable-error.ts'
import { readRelease } from './stacks/read-release.ts'

try {
  const app = createApp()
  const stage = chooseStage(app.node)
  const isNamed = ['stage', 'stageFile'].some((key) => app.node.tryGetContext(key) !== undefined)
  if (!isNamed)
    process.stderr.write(`The stage is ${stage.name}, because none was named: choose one with -c stage=<name>\n`)
  // The CDK's command sets both from its credentials; they are absent if it has none.
  requireAccount(stage, { account: process.env['CDK_DEFAULT_ACCOUNT'], region: process.env['CDK_DEFAULT_REGION'] })
  const readContext = (key: string): string | undefined => {
    const value: unknown = app.node.tryGetContext(key)
    return typeof value === 'string' ? value : undefined
  }
  const release = readRelease(stage.name, readContext('stageFile'))
  const account = process.env['CDK_DEFAULT_ACCOUNT']
  // The other commands of this project choose and compare by themselves, or deploy nothing.
  if (account === undefined || readContext('compare') === 'off') addStack(app, stage, release)
  else {
    // Loaded here, so that a start of the local service need not load the AWS SDK.
    const { findZones, guardSynthesis } = await import('./stacks/guard-synthesis.ts')
    addStack(app, withZones(stage, await findZones(stage, account)), release)
    await guardSynthesis(stage.name, app.synth().directory, { allow: readContext('allow'), account })
  }
} catch (error) {
  if (!(error instanceof PrintableError)) throw error
  process.stderr.write(`error: ${error.message}\n`)
  // The CDK synthesises when the process exits normally; exiting here keeps it from writing a broken assembly.
  process.exit(1)
}
