import { BindingNotFound } from '../lib/loads/duckdb-binding.ts'
import { StageNotValid } from '../lib/stage/parse-stage.ts'
import { chooseStage, UnknownStage } from '../lib/stage/stage-files.ts'
import { addStacks, createApp } from '../lib/synthesise.ts'

try {
  const app = createApp()
  addStacks(app, chooseStage(app.node))
} catch (error) {
  const isPrintable = [UnknownStage, StageNotValid, BindingNotFound].some((type) => error instanceof type)
  if (!(isPrintable && error instanceof Error)) throw error
  process.stderr.write(`error: ${error.message}\n`)
  // The CDK synthesises when the process exits normally; exiting here keeps it from writing a broken assembly.
  process.exit(1)
}
