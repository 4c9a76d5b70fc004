import { LoadRefused } from '../load-refused.ts'

/** A file was replaced while it was read: what was read of it is of no use, and it is read again from its start. */
export class ChangedWhileRead extends LoadRefused {
  constructor(file: string) {
    super(file, 'was replaced on its server while it was read')
  }
}

/** How often a file is read that is being replaced. */
const maxReadings = 3

/** @throws ChangedWhileRead if the file is replaced each time */
export async function retryIfChanged<Result>(read: () => Promise<Result>): Promise<Result> {
  for (let reading = 1; ; reading++) {
    try {
      return await read()
    } catch (error) {
      if (!(error instanceof ChangedWhileRead) || reading === maxReadings) throw error
    }
  }
}
