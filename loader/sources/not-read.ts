import { LoadRefused } from '../load-refused.ts'

/**
 * A file that the load did not come to read, through no fault of the file. Its plans are left out even if they may be
 * partial: what is active for them must not be replaced because workers were lost.
 */
export class NotRead extends LoadRefused {}
