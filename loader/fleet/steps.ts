import { renewSeconds } from '../../core/loads/lease-file.ts'
import type { LoadWork } from '../../core/loads/ports.ts'
import type { WriteOutcome } from '../../core/write-outcome.ts'
import type { Waiting } from '../../fetch/remote/patience.ts'
import { RemoteFiles } from '../../fetch/remote/remote-files.ts'
import { SignedLocations } from '../../fetch/remote/signed-locations.ts'
import { PrintableError } from '../../schema/printable-error.ts'
import type { LoadDeps, Repeat } from '../publish/load-request.ts'
import { normaliseNames } from '../run/load-files.ts'

/** Dependencies of a step of a load by many workers. */
export interface StepDeps extends Omit<LoadDeps, 'remote' | 'workers'> {
  readonly work: LoadWork
  readonly waiting: Waiting
}

/** A step cannot work on its load. */
export class StepRefused extends PrintableError {}

/**
 * Reads the order of a load.
 *
 * @throws StepRefused if there is none
 */
export async function openStep(loadId: string, { work, contents, waiting, now }: StepDeps) {
  const order = await work.readOrder(loadId)
  if (order === undefined) throw new StepRefused(`there is no order for the load ${loadId}`)
  const { filterId } = order
  const filter = filterId === undefined ? undefined : await contents.readFilter(filterId)
  if (filterId !== undefined && filter === undefined) throw new StepRefused(`there is no filter ${filterId}`)
  const remote = new RemoteFiles(order, { locations: new SignedLocations(now), waiting, now })
  const learn = (location: string) => remote.locations.learn(location)
  const request = { ...order, files: order.files.map(learn), toc: order.toc && learn(order.toc), filter }
  return { request: normaliseNames(request), remote, [Symbol.asyncDispose]: () => remote[Symbol.asyncDispose]() }
}

/** Another worker has the lease, because it was not renewed in time. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost'
}

/**
 * Renews a lease.
 *
 * @param renew is superseded if another worker has the lease
 * @returns a signal that is aborted if the lease is lost; disposing it ends the renewals, not the lease
 */
export function keepLease(renew: () => Promise<WriteOutcome>, repeat: Repeat | undefined) {
  const lost = new AbortController()
  const renewOnce = async () => {
    if ((await renew()) === 'superseded') lost.abort(new LeaseLost('the lease has run out'))
  }
  // A renewal that fails now is repeated before the lease runs out.
  const renewals = repeat?.(renewSeconds, () => void renewOnce().catch(() => undefined))
  return { signal: lost.signal, [Symbol.dispose]: () => renewals?.stop() }
}
