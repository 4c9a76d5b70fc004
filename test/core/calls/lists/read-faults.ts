import type { Fault } from '../../../../contract/search-api.ts'
import { InvalidRequest } from '../../../../core/errors.ts'

/** Returns the faults for which a call is refused; empty if it succeeds. Rethrows any other error. */
export const readFaults = (call: Promise<unknown>): Promise<readonly Fault[]> =>
  call.then(
    () => [],
    (error: unknown) => {
      if (error instanceof InvalidRequest) return error.details
      throw error
    },
  )

/** Returns the paths of a call's faults. */
export const readFaultPaths = async (call: Promise<unknown>): Promise<readonly string[]> =>
  (await readFaults(call)).map(({ path }) => path)
