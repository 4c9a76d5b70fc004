import { LoadRefused } from '../load-refused.ts'

/** A file whose process ended before it was staged. */
export class WorkerEnded extends LoadRefused {}
