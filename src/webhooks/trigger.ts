export const trigger = (..._: any[]): any => ({});
