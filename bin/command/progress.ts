import { openOutput } from '../../client/command-line/printable.ts'
import { repeatByClock } from '../../client/command-line/process.ts'
import { Progress } from '../../client/command-line/progress.ts'

/** Opens the progress of an operator's command, on standard error. It ends when it is disposed of. */
export function openProgress(): Progress & Disposable {
  const world = { errors: openOutput(process.stderr), now: () => performance.now(), repeat: repeatByClock }
  const progress = new Progress(world, false)
  return Object.assign(progress, { [Symbol.dispose]: () => progress.end() })
}
