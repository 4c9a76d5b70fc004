import { LoadRefused } from '../load-refused.ts'

/** A file was replaced while it was read. The bytes read so far are useless, so it is read again from its start. */
export class ChangedWhileRead extends LoadRefused {
  constructor(file: string) {
    super(file, 'was replaced on its server while it was read')
  }
}

/** Maximum number of readings of a file that is replaced each time. */
const maxReadings = 3

/** Reads a file again if it was replaced. @throws ChangedWhileRead if it is replaced each time */
export async function retryIfChanged<Result>(read: () => Promise<Result>): Promise<Result> {
  for (let reading = 1; ; reading++) {
    try {
      return await read()
    } catch (error) {
      if (!(error instanceof ChangedWhileRead) || reading === maxReadings) throw error
    }
  }
}
