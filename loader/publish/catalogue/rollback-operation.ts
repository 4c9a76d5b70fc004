/**
 * The operation that a rollback is noted as in the entries that it changes. It names the operation that it undoes: if it
 * is killed, the entries of that operation are the ones left to roll back.
 */
export const nameRollback = (id: string, undone: string | undefined) => `${id}~${operationOf(undone)}`

export const operationOf = (changedBy = '') => changedBy.split('~')[0] ?? ''

export const undoneBy = (changedBy = '') => changedBy.split('~')[1]
