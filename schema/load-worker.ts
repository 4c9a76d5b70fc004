import * as v from 'valibot'

/** Number of workers of a load. Fewer than two are no array job. Source: AWS Batch user guide, "Array jobs". */
export const workerCounts = { least: 2, most: 1000, default: 10 } as const

/** Architectures of workers, by their names in stage files. */
export const architectures = ['arm64', 'x86_64'] as const

/** The sizes of a worker of loads on AWS, and how many may run: an output of the stack, which commands read. */
const loadWorker = v.object({
  vcpus: v.number(),
  memoryGib: v.number(),
  scratchGib: v.number(),
  maxWorkers: v.number(),
  // A stage that was deployed before there was a choice runs on Arm.
  architecture: v.optional(v.picklist(architectures), 'arm64'),
})

export type LoadWorker = Readonly<v.InferOutput<typeof loadWorker>>

export type WorkerSize = Omit<LoadWorker, 'maxWorkers'>

export const writeLoadWorker = ({ vcpus, memoryGib, scratchGib, maxWorkers, architecture }: LoadWorker): string =>
  JSON.stringify({ vcpus, memoryGib, scratchGib, maxWorkers, architecture } satisfies LoadWorker)

/** @throws v.ValiError if the text is not what `writeLoadWorker` returns */
export const readLoadWorker = (text: string): LoadWorker => v.parse(v.pipe(v.string(), v.parseJson(), loadWorker), text)
