// Names the items of lists in documents, so that a patch of an alternative can change one of them.

/** Reads the name of an item, such as a status, a parameter or a media type; undefined for an item without a name. */
export const readItemName = (item) => item?.code ?? item?.name ?? item?.mediaType ?? item?.$ref ?? item?.title;
