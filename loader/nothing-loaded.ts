import { LoadRefused } from './load-refused.ts'
import type { LoadReport } from './load-report.ts'

/** All plans of a load are left out, or more than it allows. */
export class NothingLoaded extends LoadRefused {
  readonly leftOut: LoadReport['leftOut']
  readonly refused: LoadReport['refused']

  constructor(file: string, fault: string, { leftOut, refused }: Pick<LoadReport, 'leftOut' | 'refused'>) {
    const [first] = leftOut
    super(file, first === undefined ? fault : `${fault}; ${first.name}: ${first.reason}`)
    this.leftOut = leftOut
    this.refused = refused
  }
}
