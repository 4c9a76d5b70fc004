import { newLease, renewSeconds, type Worker } from '../../core/loads/claim-file.ts'
import type { OpenFile } from '../../core/loads/load-work.ts'
import type { Repeat } from '../publish/load-request.ts'

/** Another worker has taken the file, because its lease was not renewed in time. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost'
}

/**
 * Renews the lease of a file.
 *
 * @returns a signal that is aborted if the lease is lost; disposing it ends the renewals, not the lease
 */
export function keepLease({ key }: OpenFile, worker: Worker, repeat: Repeat | undefined) {
  const lost = new AbortController()
  const renew = async () => {
    const renewed = await worker.work.renew(worker.loadId, key, newLease(worker))
    if (renewed === 'superseded') lost.abort(new LeaseLost('the lease of the file has run out'))
  }
  // A renewal that fails now is repeated before the lease runs out.
  const renewals = repeat?.(renewSeconds, () => void renew().catch(() => undefined))
  return { signal: lost.signal, [Symbol.dispose]: () => renewals?.stop() }
}
