/** A page that stands alone has no server that could record. */
export const Rules = () => null;
export const RecordDialog = () => null;
