import { readStep, readStepEnvironment, StepMisused, stepExit } from '../schema/load-step.ts'
import { describeError } from './command/errors.ts'

/**
 * One step of a load by many workers, in a process or container of its own: `node bin/load-step.ts plan|work|finish`.
 * Its environment says which load (schema/load-step.ts). It logs one line of JSON an event, and no signed URL.
 */

function log(facts: Readonly<Record<string, unknown>>): void {
  process.stdout.write(`${JSON.stringify(facts)}\n`)
}

try {
  const step = readStep(process.argv.slice(2))
  const environment = readStepEnvironment(process.env)
  throw new Error(`the step ${step} of the load ${environment.LOAD_ID} is not available yet`)
} catch (error) {
  log({ level: 'ERROR', message: describeError(error) })
  process.exitCode = error instanceof StepMisused ? stepExit.misused : stepExit.failed
}
