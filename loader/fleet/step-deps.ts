import type { LoadWork } from '../../core/loads/ports.ts'
import { PrintableError } from '../../schema/printable-error.ts'
import type { Waiting } from '../fetch/remote/patience.ts'
import { RemoteFiles } from '../fetch/remote/remote-files.ts'
import { SignedLocations } from '../fetch/remote/signed-locations.ts'
import type { LoadDeps } from '../publish/load-request.ts'
import { normaliseNames } from '../run/load-files.ts'

/** What a step of a load by many workers needs. */
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
