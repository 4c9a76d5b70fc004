import { chooseStage } from '../lib/stage/stage-files.ts'
import { requirePlace } from '../lib/stage/stage-place.ts'
import { addStack, createApp } from '../lib/synthesise.ts'
import { PrintableError } from '../schema/printable-error.ts'

try {
  const app = createApp()
  const stage = chooseStage(app.node)
  const isNamed = ['stage', 'stageFile'].some((key) => app.node.tryGetContext(key) !== undefined)
  if (!isNamed)
    process.stderr.write(`The stage is ${stage.name}, because none was named: choose one with -c stage=<name>\n`)
  // The CDK's command sets both from its credentials; they are absent if it has none.
  requirePlace(stage, { account: process.env['CDK_DEFAULT_ACCOUNT'], region: process.env['CDK_DEFAULT_REGION'] })
  addStack(app, stage)
} catch (error) {
  if (!(error instanceof PrintableError)) throw error
  process.stderr.write(`error: ${error.message}\n`)
  // The CDK synthesises when the process exits normally; exiting here keeps it from writing a broken assembly.
  process.exit(1)
}
