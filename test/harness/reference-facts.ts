/** Requests and answers of clients. */

export interface Caller {
  readonly orgId: string
  readonly token: string
}

/** The meaningful parts of an answer that a client saw. */
export interface Reply {
  readonly status: number
  readonly jobId?: string
  readonly createdAt?: string
  readonly jobStatus?: string
  /** The body, without signatures. */
  readonly text: string
  readonly isReplay: boolean
}

/** A job in the answer to a list. */
export type ListEntry = Required<Pick<Reply, 'jobId' | 'createdAt' | 'jobStatus'>>

/** When an answer came, how many calls had been made to fail by then, and whether other calls race with it. */
export interface Moment {
  readonly at: number
  readonly crashes: number
  readonly isRacing: boolean
}
