import { UsageError } from '../../client/command-line/command-errors.ts'
import { isRemote } from '../../fetch/file-address.ts'
import type { HttpSettings } from '../../fetch/remote/http-settings.ts'
import type { LoadRequest } from '../../loader/publish/load-request.ts'
import { checkLoadOrder, type LoadOrder, orderNames } from '../../schema/load-order.ts'

/** Options that only make sense where the command runs. */
const ownOptions = ['files', 'fetch', 'create'] as const

type OwnOptions = Readonly<Partial<Record<(typeof ownOptions)[number], string | boolean | undefined>>>

/**
 * Refuses sources and options that workers on AWS cannot read or apply.
 *
 * @param sources the table of contents and files, as given
 * @throws UsageError naming all of it
 */
export function refuseLocalSources(sources: readonly string[], values: OwnOptions): void {
  const local = sources.filter((source) => !isRemote(source))
  const options = ownOptions.filter((name) => values[name] !== undefined).map((name) => `--${name}`)
  const faults = [
    ...(local.length === 0 ? [] : [`workers cannot read ${local.join(', ')} of this machine`]),
    ...(options.length === 0 ? [] : [`${options.join(', ')} only applies to files of this machine`]),
  ]
  if (faults.length > 0) throw new UsageError(`--on aws loads what https URLs name: ${faults.join('; ')}`)
}

/**
 * The order of a load by many workers.
 *
 * @param request with the URLs as given, signatures included; its filter is stored
 * @throws UsageError
 */
export function orderLoad(request: LoadRequest & HttpSettings): LoadOrder {
  const values = new Map<string, unknown>(Object.entries({ ...request, filterId: request.filter?.id }))
  const entries = orderNames.map((name) => [name, values.get(name)] as const)
  const order = checkLoadOrder(Object.fromEntries(entries.filter(([, value]) => value !== undefined)))
  if ('faults' in order) throw new UsageError(`with --on aws, ${order.faults.join('; ')}`)
  return order
}
