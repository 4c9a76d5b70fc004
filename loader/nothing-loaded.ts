import { LoadRefused } from './load-refused.ts'
import type { LeftOut } from './load-report.ts'

/** All plans of a load are left out, or more than it allows. */
export class NothingLoaded extends LoadRefused {
  readonly leftOut: readonly LeftOut[]

  constructor(file: string, fault: string, leftOut: readonly LeftOut[]) {
    const [first] = leftOut
    super(file, first === undefined ? fault : `${fault}; ${first.name}: ${first.reason}`)
    this.leftOut = leftOut
  }
}
