import type { LoadContainer } from '../../adapters/batch-load-jobs.ts'
import type { WorkerSize } from '../../schema/load-worker.ts'

/**
 * Dollars an hour in us-east-1, November 2026. Source: AWS Fargate pricing (Linux, Spot at its published discount of
 * 70 %, storage over 20 GB) and Amazon VPC pricing (public IPv4 address).
 */
const hourly = {
  arm64: { spot: { vcpu: 0.009714, gib: 0.001068 }, onDemand: { vcpu: 0.03238, gib: 0.00356 } },
  x86_64: { spot: { vcpu: 0.012144, gib: 0.0013335 }, onDemand: { vcpu: 0.04048, gib: 0.004445 } },
  storageGib: 0.000111,
  address: 0.005,
} as const

const freeStorageGib = 20

/** Dollars: if Spot had room for everything, and if it had none. */
export interface CostRange {
  readonly least: number
  readonly most: number
}

/** The calculated price of worker hours: containers, their disks and their addresses. */
export function priceHours(hours: number, { vcpus, memoryGib, scratchGib, architecture }: WorkerSize): CostRange {
  const diskAndAddress = hourly.address + hourly.storageGib * Math.max(0, scratchGib - freeStorageGib)
  const price = ({ vcpu, gib }: { readonly vcpu: number; readonly gib: number }) =>
    hours * (vcpus * vcpu + memoryGib * gib + diskAndAddress)
  const { spot, onDemand } = hourly[architecture]
  return { least: price(spot), most: price(onDemand) }
}

/** Hours that containers have run. */
export function sumHours(containers: readonly LoadContainer[], now: Date): number {
  const milliseconds = containers.map(({ startedAt, stoppedAt = now }) => stoppedAt.getTime() - startedAt.getTime())
  return milliseconds.reduce((sum, each) => sum + each, 0) / 3_600_000
}

const dollars = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 })

/** `$1.20 (Spot) to $3.40 (On-Demand), calculated`. */
export const describeCosts = ({ least, most }: CostRange): string =>
  `$${dollars.format(least)} (all on Spot) to $${dollars.format(most)} (none), calculated`
