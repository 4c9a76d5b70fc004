import { StageNotValid } from '../lib/stage/parse-stage.ts'
import { chooseStage, UnknownStage } from '../lib/stage/stage-files.ts'
import { addStacks, createApp } from '../lib/synthesise.ts'

try {
  const app = createApp()
  addStacks(app, chooseStage(app.node))
} catch (error) {
  if (!(error instanceof UnknownStage || error instanceof StageNotValid)) throw error
  process.stderr.write(`error: ${error.message}\n`)
  // The CDK synthesises when the process exits normally; exiting here keeps it from writing a broken assembly.
  process.exit(1)
}
